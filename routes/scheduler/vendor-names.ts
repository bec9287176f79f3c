/** Gives a text of the API in the vendor's words. */
type Rename = (text: string) => string

function called(names: Readonly<Record<string, string>>): Rename {
  return (text) => (Object.hasOwn(names, text) ? (names[text] ?? text) : text)
}

const driver = called({ mock: 'mock_driver' })

const attribute: Rename = (key) => {
  if (key.startsWith('sched.')) return `nomad.${key.slice('sched.'.length)}`
  return key === 'driver.mock' ? 'driver.mock_driver' : key
}

/** A reference to a node's attribute, which may carry the product's name; other texts are the caller's. */
const reference: Rename = (text) => {
  const own = '${attr.sched.'
  return text.startsWith(own) ? `\${attr.nomad.${text.slice(own.length)}` : text
}

/** By object and member. */
type Renames = Readonly<Record<string, Readonly<Record<string, Rename>>>>

/** Texts that are names of the API's own, or refer to them (3b-scheduler-decisions.md section 12). */
const texts: Renames = {
  Service: { Provider: called({ mesh: 'consul', sched: 'nomad' }) },
  Task: { Driver: driver },
  Constraint: { LTarget: reference, RTarget: reference },
  Affinity: { LTarget: reference, RTarget: reference },
  Spread: { Attribute: reference },
  FieldDiff: {
    Name: called({ SecretsNamespace: 'VaultNamespace', MeshNamespace: 'ConsulNamespace' }),
  },
  ReferringFieldDiff: { Old: reference, New: reference },
  ObjectDiff: {
    Name: called({
      Secrets: 'Vault',
      MeshConnect: 'ConsulConnect',
      MeshProxy: 'ConsulProxy',
      MeshUpstreams: 'ConsulUpstreams',
      MeshIngressService: 'ConsulIngressService',
    }),
  },
}

/** Maps whose keys are. */
const keys: Renames = {
  Node: { Attributes: attribute, Drivers: driver },
  NodeListStub: { Drivers: driver },
  AllocMetric: { ConstraintFiltered: reference },
}

function renameOf(renames: Renames, object: string, member: string): Rename | undefined {
  const members = Object.hasOwn(renames, object) ? renames[object] : undefined
  return members !== undefined && Object.hasOwn(members, member) ? members[member] : undefined
}

/** A member of an object with the names in it that are the API's own as the vendor has them. */
export function vendorNamed(object: string, member: string, value: unknown): unknown {
  if (typeof value === 'string') return renameOf(texts, object, member)?.(value) ?? value
  const rename = renameOf(keys, object, member)
  if (rename === undefined || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [rename(key), each]))
}
