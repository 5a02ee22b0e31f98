"""What labels that are half believed are worth: this library against what users do today."""
