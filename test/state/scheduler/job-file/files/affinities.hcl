job "prefers" {
  affinity {
    attribute = "${node.datacenter}"
    value     = "west"
    weight    = 100
  }
  group "g" {
    affinity {
      attribute = "${node.class}"
      operator  = "!="
      value     = "small"
      weight    = -50
    }
    affinity {
      attribute = "${attr.driver.docker.version}"
      version   = "> 20"
    }
    affinity {
      attribute = "${attr.driver.docker.version}"
      semver    = "> 20.0.1"
      weight    = 7.9
    }
    task "t" {
      affinity {
        attribute = "${attr.os.name}"
        regexp    = "^deb"
      }
      affinity {
        attribute        = "${meta.tags}"
        set_contains_any = "a"
      }
      affinity {
        attribute        = "${meta.tags}"
        set_contains_all = "a,b"
      }
      affinity {
        attribute    = "${meta.tags}"
        set_contains = "a,b"
        weight       = 1
      }
    }
  }
}
