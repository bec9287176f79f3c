import { translatedText } from '../kernel/shape/kinds.ts'

/** Texts and keys of maps that hold names of the API's own (behaviour/scheduler#vendor-names). */

/** Texts that may refer to an attribute of a node; other texts are the caller's. */
export const nodeReference = translatedText((text) => {
  const prefix = '${attr.sched.'
  return text.startsWith(prefix) ? `\${attr.nomad.${text.slice(prefix.length)}` : text
})

/** A number of the agent: `sched.sched.…` are those of servers. */
export const metricName = translatedText((name) =>
  name.replace(/^sched\.(sched\.)?/, (prefix) => prefix.replaceAll('sched', 'nomad')),
)

/** A task's driver. */
export const driverName = translatedText({ mock: 'mock_driver' })

/** An attribute of a node. */
export const nodeAttribute = translatedText((key) => {
  if (key.startsWith('sched.')) return `nomad.${key.slice('sched.'.length)}`
  return key === 'driver.mock' ? 'driver.mock_driver' : key
})

/** The control group of a node's tasks. */
export const controlGroup = translatedText({ 'sched.slice': 'nomad.slice' })

/** Who keeps a list of services. */
export const serviceProvider = translatedText({ mesh: 'consul', sched: 'nomad' })

/** The beginning of IDs of services that tasks of this cluster offer. */
export const neutralServicePrefix = '_sched-task-'
const vendorServicePrefix = '_nomad-task-'

/** The ID of such a service. */
export const serviceId = translatedText((id) =>
  id.startsWith(neutralServicePrefix)
    ? vendorServicePrefix + id.slice(neutralServicePrefix.length)
    : id,
)

/** The same as it is kept, of one in either spelling. */
export function neutralServiceId(id: string): string {
  return id.startsWith(vendorServicePrefix)
    ? neutralServicePrefix + id.slice(vendorServicePrefix.length)
    : id
}

/** A scalar of diffs. */
export const fieldName = translatedText({
  SecretsNamespace: 'VaultNamespace',
  MeshNamespace: 'ConsulNamespace',
})

/** An object of diffs. */
export const objectName = translatedText({
  Secrets: 'Vault',
  MeshConnect: 'ConsulConnect',
  MeshProxy: 'ConsulProxy',
  MeshUpstreams: 'ConsulUpstreams',
  MeshIngressService: 'ConsulIngressService',
})
