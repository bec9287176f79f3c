variables {
  people = [
    { name = "ada", age = 36 },
    { name = "bob", age = 17 },
  ]
  weights = { b = 2, a = 1 }
}
job "expressions" {
  priority    = 10 + 2 * 3 - 4 / 2 % 3
  all_at_once = (1 < 2 && !(2 <= 1)) || 3 > 4
  type        = var.people[0].age >= 18 ? "service" : "batch"
  meta {
    names    = join(",", var.people[*].name)
    legacy   = join(",", var.people.*.name)
    adults   = join(",", [for p in var.people : p.name if p.age > 17])
    upper    = jsonencode({ for k, v in var.weights : upper(k) => v + 1 })
    grouped  = jsonencode({ for p in var.people : (p.age > 17 ? "adult" : "minor") => p.name... })
    indexed  = join(",", [for i, p in var.people : "${i}:${p.name}"])
    equal    = 1 == 1
    unequal  = "a" != "b"
    negative = -var.weights.a
    object   = { a = [1, 2] }.a[1]
    tuple    = [1, "two", true][1]
    null     = null == null
    nested   = "${"${"deep"}"}"
    expanded = max([3, 9, 4]...)
  }
}
