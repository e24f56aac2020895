"""Tracing: is this person in the data?

Takes a view (published means, the records of the people asked about, a reference); gives accusations: a
score and a p-value for each of them. A score is linear in the person's record; its weights and its
calibration are chosen independently (Dwork, Smith, Steinke, Ullman, Vadhan, *Robust Traceability from Trace
Amounts*; Dwork, Smith, Steinke, Ullman, *Exposed!*, sections 3 and 4).
"""
