mod midpoint;
