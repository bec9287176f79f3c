# Every argument of a job, aligned or not.
job "batch-report" {
  region      = "west"
  namespace   = "finance"
  id          = "report"
  name        = "Monthly report"
  type        = "batch"
  priority    = 80
  all_at_once = true
  datacenters = ["dc1", "dc2"]
  node_pool   = "gpu"

  secrets_token = "s.1234"
  mesh_token    = "aa-bb"

  ui {
    description = "Figures of the **month**"
    link {
      label = "Wiki"
      url   = "https://wiki.example.com/report"
    }
    link {
      label = "Code"
      url   = "https://git.example.com/report"
    }
  }
}
