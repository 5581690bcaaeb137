from attn_core.ui.frame import page

page("3_Specialization", "x")
