"""Methods that the papers compare with and no library offers."""
