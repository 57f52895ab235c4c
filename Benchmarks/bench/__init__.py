"""`Scripts/bench`: the cost of Rill and the quality of its pictures, compared with other software doing the same work."""
