from attn_core.ui.frame import page

page("4_Anchor_tokens", "x")
