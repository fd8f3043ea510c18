"""Reading what others publish: documents in, the items of an exchange file out."""
