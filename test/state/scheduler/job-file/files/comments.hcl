// A slash comment
/* A comment
   over lines */
job "commented" { # behind a brace
  type = "service" // behind a value
  /* before */ priority = 10 /* behind */
  datacenters = [
    "dc1", # the first
    // none
    "dc2",
  ]
}
