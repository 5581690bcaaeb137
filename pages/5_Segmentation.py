from attn_core.ui.frame import page

page("5_Segmentation", "x")
