job "__proto__" {
  meta {
    __proto__   = "own"
    constructor = "own"
    toString    = "own"
  }
  group "constructor" {
    volume "__proto__" {
      type = "host"
    }
    task "hasOwnProperty" {
      env = { "__proto__" = "env" }
      config {
        __proto__ {
          constructor = 1
        }
      }
    }
  }
}
