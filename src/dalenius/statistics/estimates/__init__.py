"""Statistics that are estimated: regressions, M-estimators, goodness of fit."""
