"""Parts of the page Segmentation."""
