"""Per watt: throughput against power, and samples per joule."""
