from attn_core.ui.frame import page

page("1_Heads", "x")
