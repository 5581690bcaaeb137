"""The page Segmentation."""
