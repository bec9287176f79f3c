job "wide" {
  spread {
    attribute = "${node.datacenter}"
    weight    = 100
    target "us-west" {
      percent = 70
    }
    target "us-east" {
      percent = 30
    }
  }
  group "g" {
    spread {
      attribute = "${meta.rack}"
    }
    spread {
      target "r1" {}
    }
  }
}
