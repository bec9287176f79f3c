job "everywhere" {
  multiregion {
    strategy {
      max_parallel = 1
      on_failure   = "fail_all"
    }
    region "west" {
      count       = 2
      datacenters = ["west-1"]
      node_pool   = "large"
      meta {
        side = "left"
      }
    }
    region "east" {}
  }
}
