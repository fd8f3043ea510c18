"""The words of a report, in any language, as plain text without markup."""
