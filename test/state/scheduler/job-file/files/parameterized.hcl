job "transcode" {
  type = "batch"
  parameterized {
    payload       = "required"
    meta_required = ["input", "profile"]
    meta_optional = []
  }
  group "g" {
    task "t" {
      driver = "raw_exec"
      dispatch_payload {
        file = "config.json"
      }
    }
  }
}
