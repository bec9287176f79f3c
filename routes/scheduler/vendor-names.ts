/** Gives a text of the API in the vendor's words. */
type Rename = (text: string) => string

/** References to a node's attributes carry the product's name. */
export function vendorText(text: string): string {
  return text.includes('attr.sched.') ? text.replaceAll('attr.sched.', 'attr.nomad.') : text
}

/** A failure or warning in the vendor's words. */
export function vendorMessage(neutral: string): string {
  return vendorText(neutral)
    .replaceAll(/\bSched\b/g, 'Nomad')
    .replace('must be "mesh", or "sched";', 'must be "consul", or "nomad";')
    .replaceAll('Secrets validation failed: ', 'Vault validation failed: ')
    .replaceAll("the mesh's service checks", 'Consul service checks')
}

function called(names: Readonly<Record<string, string>>): Rename {
  return (text) => (Object.hasOwn(names, text) ? (names[text] ?? text) : text)
}

const driver = called({ mock: 'mock_driver' })

const attribute: Rename = (key) => {
  if (key.startsWith('sched.')) return `nomad.${key.slice('sched.'.length)}`
  return key === 'driver.mock' ? 'driver.mock_driver' : key
}

/** By object and member. */
type Renames = Readonly<Record<string, Readonly<Record<string, Rename>>>>

/** Texts that are names of the API's own (3b-scheduler-decisions.md section 12). */
const texts: Renames = {
  Service: { Provider: called({ mesh: 'consul', sched: 'nomad' }) },
  Task: { Driver: driver },
  FieldDiff: {
    Name: called({ SecretsNamespace: 'VaultNamespace', MeshNamespace: 'ConsulNamespace' }),
  },
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
  AllocMetric: { ConstraintFiltered: vendorText },
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
