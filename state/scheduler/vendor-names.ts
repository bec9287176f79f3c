import { translatedText } from '../kernel/shape/kinds.ts'

/**
 * Strings and map keys that contain names of the product (behaviour/scheduler#vendor-names). The
 * state stores the neutral names.
 */

/** Vendor spelling of the first word of attribute names, by its neutral spelling. */
const attributeGroups: Readonly<Record<string, string>> = {
  sched: 'nomad',
  mesh: 'consul',
  secrets: 'vault',
}

const meshPlugin = 'plugins.cni.version.mesh-cni'
const vendorMeshPlugin = 'plugins.cni.version.consul-cni'

/**
 * Translates the name of a node attribute to the vendor's spelling. Other text may follow the name,
 * such as the closing brace of a reference.
 */
function vendorAttribute(name: string): string {
  if (name.startsWith(meshPlugin)) return vendorMeshPlugin + name.slice(meshPlugin.length)
  const [group = ''] = name.split('.', 1)
  if (group === name || !Object.hasOwn(attributeGroups, group)) return name
  return `${attributeGroups[group]}${name.slice(group.length)}`
}

function neutralAttribute(name: string): string {
  if (name.startsWith(vendorMeshPlugin)) return meshPlugin + name.slice(vendorMeshPlugin.length)
  const [group = ''] = name.split('.', 1)
  const neutral = Object.keys(attributeGroups).find((each) => attributeGroups[each] === group)
  return neutral === undefined || group === name ? name : `${neutral}${name.slice(group.length)}`
}

const referencePrefix = '${attr.'

/**
 * A string that may refer to a node attribute. Strings without the prefix `${attr.` stay unchanged.
 */
export const nodeReference = translatedText((text) =>
  text.startsWith(referencePrefix)
    ? referencePrefix + vendorAttribute(text.slice(referencePrefix.length))
    : text,
)

/**
 * Translates a reference to a node attribute to the neutral spelling. Other strings stay unchanged.
 */
export function neutralReference(text: string): string {
  return text.startsWith(referencePrefix)
    ? referencePrefix + neutralAttribute(text.slice(referencePrefix.length))
    : text
}

/** A metric's name. The names of server metrics begin with `sched.sched.`. */
export const metricName = translatedText((name) =>
  name.replace(/^sched\.(sched\.)?/, (prefix) => prefix.replaceAll('sched', 'nomad')),
)

export const driverName = translatedText({ mock: 'mock_driver' })

export const nodeAttribute = translatedText((key) => {
  return key === 'driver.mock' ? 'driver.mock_driver' : vendorAttribute(key)
})

/** The control group of a node's tasks. */
export const controlGroup = translatedText({ 'sched.slice': 'nomad.slice' })

export const serviceProvider = translatedText({ mesh: 'consul', sched: 'nomad' })

/** Audience of the default identity, which every task has. */
export const defaultAudience = 'schedproject.io'
export const audienceName = translatedText({ [defaultAudience]: 'nomadproject.io' })

/** Prefix of identity names for services in the mesh. */
export const meshIdentityPrefix = 'mesh-service_'

export const identityName = translatedText((name) =>
  name.startsWith(meshIdentityPrefix)
    ? `consul-service_${name.slice(meshIdentityPrefix.length)}`
    : name,
)

/** Prefix of the IDs of services that tasks of the cluster register. */
export const neutralServicePrefix = '_sched-task-'
const vendorServicePrefix = '_nomad-task-'

export const serviceId = translatedText((id) =>
  id.startsWith(neutralServicePrefix)
    ? vendorServicePrefix + id.slice(neutralServicePrefix.length)
    : id,
)

/** Returns the stored form of a service ID in either dialect. */
export function neutralServiceId(id: string): string {
  return id.startsWith(vendorServicePrefix)
    ? neutralServicePrefix + id.slice(vendorServicePrefix.length)
    : id
}

/** Names of scalar members in diffs. */
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
