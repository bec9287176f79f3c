job "left-alone" {
  datacenters = [meta.dc, "${node.datacenter}"]
  group "g" {
    task "t" {
      env {
        NODE   = "${NODE}"
        KERNEL = "on ${attr.kernel.name} ${attr.cpu.arch}!"
        PORT   = "${SCHED_PORT_http}"
        BARE   = attr.driver.docker.version
        INDEX  = "${meta.list[0]}"
        KEY    = "${meta["a.b"]}"
        BOTH   = "${upper(env.HOME)}/${var.dir}"
      }
    }
  }
}
variables {
  dir = "data"
}
