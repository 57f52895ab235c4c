// place
