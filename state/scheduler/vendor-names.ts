import { translatedText } from '../kernel/shape/kinds.ts'

/** Strings and map keys that contain names of the API (behaviour/scheduler#vendor-names). */

/** First words of attributes that name a product. */
const attributeGroups: Readonly<Record<string, string>> = {
  sched: 'nomad',
  mesh: 'consul',
  secrets: 'vault',
}

const meshPlugin = 'plugins.cni.version.mesh-cni'
const vendorMeshPlugin = 'plugins.cni.version.consul-cni'

/**
 * Returns the name of an attribute with the vendor's words. In a reference, a brace follows the
 * name.
 */
function vendorAttribute(name: string): string {
  if (name.startsWith(meshPlugin)) return vendorMeshPlugin + name.slice(meshPlugin.length)
  const [group = ''] = name.split('.', 1)
  if (group === name || !Object.hasOwn(attributeGroups, group)) return name
  return `${attributeGroups[group]}${name.slice(group.length)}`
}

/** Returns the name of an attribute with the neutral words. */
function neutralAttribute(name: string): string {
  if (name.startsWith(vendorMeshPlugin)) return meshPlugin + name.slice(vendorMeshPlugin.length)
  const [group = ''] = name.split('.', 1)
  const neutral = Object.keys(attributeGroups).find((each) => attributeGroups[each] === group)
  return neutral === undefined || group === name ? name : `${neutral}${name.slice(group.length)}`
}

const referencePrefix = '${attr.'

/**
 * Strings that may refer to an attribute of a node. Callers choose other strings, which stay
 * unchanged.
 */
export const nodeReference = translatedText((text) =>
  text.startsWith(referencePrefix)
    ? referencePrefix + vendorAttribute(text.slice(referencePrefix.length))
    : text,
)

/** Returns a reference to an attribute of a node with the attribute's neutral name. */
export function neutralReference(text: string): string {
  return text.startsWith(referencePrefix)
    ? referencePrefix + neutralAttribute(text.slice(referencePrefix.length))
    : text
}

/** Names of metrics. Metrics of servers have names that begin with `sched.sched.`. */
export const metricName = translatedText((name) =>
  name.replace(/^sched\.(sched\.)?/, (prefix) => prefix.replaceAll('sched', 'nomad')),
)

/** Names of task drivers. */
export const driverName = translatedText({ mock: 'mock_driver' })

/** Names of node attributes. */
export const nodeAttribute = translatedText((key) => {
  return key === 'driver.mock' ? 'driver.mock_driver' : vendorAttribute(key)
})

/** The control group of a node's tasks. */
export const controlGroup = translatedText({ 'sched.slice': 'nomad.slice' })

/** Providers of service catalogues. */
export const serviceProvider = translatedText({ mesh: 'consul', sched: 'nomad' })

/** Audience of the default identity, which every task has. */
export const defaultAudience = 'schedproject.io'
export const audienceName = translatedText({ [defaultAudience]: 'nomadproject.io' })

/** Prefix of the names of identities of services in the mesh. */
export const meshIdentityPrefix = 'mesh-service_'

/** Names of identities. */
export const identityName = translatedText((name) =>
  name.startsWith(meshIdentityPrefix)
    ? `consul-service_${name.slice(meshIdentityPrefix.length)}`
    : name,
)

/** Prefix of the IDs of services that the cluster's tasks offer. */
export const neutralServicePrefix = '_sched-task-'
const vendorServicePrefix = '_nomad-task-'

/** IDs of services that the cluster's tasks offer. */
export const serviceId = translatedText((id) =>
  id.startsWith(neutralServicePrefix)
    ? vendorServicePrefix + id.slice(neutralServicePrefix.length)
    : id,
)

/** Returns the stored form of a service ID that has either dialect's spelling. */
export function neutralServiceId(id: string): string {
  return id.startsWith(vendorServicePrefix)
    ? neutralServicePrefix + id.slice(vendorServicePrefix.length)
    : id
}

/** Names of scalars in diffs. */
export const fieldName = translatedText({
  SecretsNamespace: 'VaultNamespace',
  MeshNamespace: 'ConsulNamespace',
})

/** Names of objects in diffs. */
export const objectName = translatedText({
  Secrets: 'Vault',
  MeshConnect: 'ConsulConnect',
  MeshProxy: 'ConsulProxy',
  MeshUpstreams: 'ConsulUpstreams',
  MeshIngressService: 'ConsulIngressService',
})
