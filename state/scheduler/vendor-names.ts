import { translatedText } from '../kernel/shape/kinds.ts'

/** Texts and map keys that contain names of the API (behaviour/scheduler#vendor-names). */

/** Texts that may refer to a node attribute; other texts belong to the caller. */
export const nodeReference = translatedText((text) => {
  const prefix = '${attr.sched.'
  return text.startsWith(prefix) ? `\${attr.nomad.${text.slice(prefix.length)}` : text
})

/** Names of metrics; those of servers begin with `sched.sched.`. */
export const metricName = translatedText((name) =>
  name.replace(/^sched\.(sched\.)?/, (prefix) => prefix.replaceAll('sched', 'nomad')),
)

/** Names of task drivers. */
export const driverName = translatedText({ mock: 'mock_driver' })

/** Names of node attributes. */
export const nodeAttribute = translatedText((key) => {
  if (key.startsWith('sched.')) return `nomad.${key.slice('sched.'.length)}`
  return key === 'driver.mock' ? 'driver.mock_driver' : key
})

/** The control group of a node's tasks. */
export const controlGroup = translatedText({ 'sched.slice': 'nomad.slice' })

/** Providers of service catalogues. */
export const serviceProvider = translatedText({ mesh: 'consul', sched: 'nomad' })

/** Prefix of the IDs of services that the cluster's tasks offer. */
export const neutralServicePrefix = '_sched-task-'
const vendorServicePrefix = '_nomad-task-'

/** IDs of services that the cluster's tasks offer. */
export const serviceId = translatedText((id) =>
  id.startsWith(neutralServicePrefix)
    ? vendorServicePrefix + id.slice(neutralServicePrefix.length)
    : id,
)

/** Returns the stored form of a service ID in either spelling. */
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
