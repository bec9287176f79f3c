job "picky" {
  constraint {
    attribute = "${attr.kernel.name}"
    value     = "linux"
  }
  constraint {
    attribute = "${attr.cpu.numcores}"
    operator  = ">="
    value     = 4
  }
  constraint {
    distinct_hosts = true
  }
  group "g" {
    constraint {
      distinct_hosts = false
    }
    constraint {
      distinct_property = "${meta.rack}"
      value             = "2"
    }
    constraint {
      attribute = "${attr.sched.version}"
      version   = ">= 1.0, < 2.0"
    }
    constraint {
      attribute = "${attr.sched.version}"
      semver    = ">= 1.7.0-beta"
    }
    task "t" {
      driver = "exec"
      constraint {
        attribute = "${attr.os.name}"
        regexp    = "ubuntu|debian"
      }
      constraint {
        attribute    = "${meta.tags}"
        set_contains = "ssd,fast"
      }
      constraint {
        attribute        = "${meta.tags}"
        set_contains_all = "a,b"
      }
      constraint {
        attribute        = "${meta.tags}"
        set_contains_any = "c,d"
      }
      constraint {
        attribute = "${meta.tags}"
        operator  = "is_set"
        is_set    = "no effect"
      }
      constraint {
        attribute  = "${meta.tags}"
        operator   = "is_not_set"
        is_not_set = "no effect"
        version    = ""
      }
    }
  }
}
