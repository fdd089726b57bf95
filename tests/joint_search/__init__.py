"""A search for joints that are said to contradict each other although they do not, in random scenes (``python -m tests.joint_search``)."""
