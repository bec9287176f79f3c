/** A right of a caller in a namespace (behaviour/scheduler#auth). */
export type Capability = (typeof usedCapabilities)[number]

/** Capabilities that something asks for. */
const usedCapabilities = [
  'list-jobs',
  'read-job',
  'parse-job',
  'submit-job',
  'dispatch-job',
  'scale-job',
  'read-job-scaling',
  'list-scaling-policies',
  'read-scaling-policy',
  'read-logs',
  'read-fs',
  'alloc-exec',
  'alloc-node-exec',
  'alloc-lifecycle',
  'policy-override',
] as const

/**
 * The further capabilities of the release that is played: rules may have them, and nothing comes of
 * it. Those of later releases, such as `register-job`, are refused (behaviour/scheduler#auth).
 */
const unusedCapabilities = [
  'submit-recommendation',
  'csi-register-plugin',
  'csi-write-volume',
  'csi-read-volume',
  'csi-list-volume',
  'csi-mount-volume',
] as const

/** The vendor's names of capabilities (behaviour/scheduler#vendor-names); rules may be written with either. */
const neutralNames = new Map([['sentinel-override', 'policy-override']])

/** The neutral name of a capability. */
export function neutralCapability(name: string): string {
  return neutralNames.get(name) ?? name
}

/** Capabilities that the rules of a namespace may list. */
export const namespaceCapabilities: ReadonlySet<string> = new Set([
  'deny',
  ...usedCapabilities,
  ...unusedCapabilities,
])

const readCapabilities = [
  'list-jobs',
  'read-job',
  'parse-job',
  'read-job-scaling',
  'list-scaling-policies',
  'read-scaling-policy',
] as const satisfies readonly Capability[]

const writeCapabilities = [
  ...readCapabilities,
  'submit-job',
  'dispatch-job',
  'scale-job',
  'read-logs',
  'read-fs',
  'alloc-exec',
  'alloc-lifecycle',
] as const satisfies readonly Capability[]

const scaleCapabilities = [
  'read-job',
  'scale-job',
  'read-job-scaling',
  'list-scaling-policies',
  'read-scaling-policy',
] as const satisfies readonly Capability[]

/**
 * The capabilities that the short forms `policy = "…"` of a namespace stand for (behaviour/scheduler#conventions, table).
 */
export const namespacePolicies: ReadonlyMap<string, readonly string[]> = new Map<
  string,
  readonly string[]
>([
  ['deny', ['deny']],
  ['read', readCapabilities],
  ['write', writeCapabilities],
  ['scale', scaleCapabilities],
])

/** The same of a node pool. */
export const poolPolicies: ReadonlyMap<string, readonly string[]> = new Map([
  ['deny', ['deny']],
  ['read', ['read']],
  ['write', ['delete', 'read', 'write']],
  ['scale', []],
])

/** Capabilities that the rules of a node pool may list. */
export const poolCapabilities: ReadonlySet<string> = new Set(['deny', 'read', 'write', 'delete'])
