"""Results as a folder of Parquet files, for those who ask millions of samples."""
