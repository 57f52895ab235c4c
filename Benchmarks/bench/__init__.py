"""`Scripts/bench`: what Rill costs and how its pictures look, beside what others make of the same work."""
