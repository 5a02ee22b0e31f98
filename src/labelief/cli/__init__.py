"""The command ``labelief``: one file a command, thin; what a command does stands beside it.

Importing the command's frame loads nothing heavy: each command imports what it needs when it runs.
"""
