"""What an export says of itself, for whoever compares all that it prints."""

LEAVES = (
    "chip, model, random id, system, packages, settings, samples, figures; "
    "'benchdb export --preview' shows each field"
)
