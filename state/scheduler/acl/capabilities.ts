/** A capability in a namespace (behaviour/scheduler#auth). */
export type Capability = (typeof usedCapabilities)[number]

/** Capabilities that some operation checks. */
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
 * Further capabilities of the emulated release: accepted in rules, without effect. Those of later
 * releases, such as `register-job`, are refused (behaviour/scheduler#auth).
 */
const unusedCapabilities = [
  'submit-recommendation',
  'csi-register-plugin',
  'csi-write-volume',
  'csi-read-volume',
  'csi-list-volume',
  'csi-mount-volume',
] as const

/** Neutral names by the vendor's names (behaviour/scheduler#vendor-names); rules may use either. */
const neutralNames = new Map([['sentinel-override', 'policy-override']])

/** Returns the neutral name of a capability. */
export function neutralCapability(name: string): string {
  return neutralNames.get(name) ?? name
}

/** Capabilities allowed in the rules of a namespace. */
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
 * Capabilities by short form, `policy = "…"`, in the rules of a namespace
 * (behaviour/scheduler#conventions, table).
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

/** Capabilities by short form in the rules of a node pool. */
export const poolPolicies: ReadonlyMap<string, readonly string[]> = new Map([
  ['deny', ['deny']],
  ['read', ['read']],
  ['write', ['delete', 'read', 'write']],
  ['scale', []],
])

/** Capabilities allowed in the rules of a node pool. */
export const poolCapabilities: ReadonlySet<string> = new Set(['deny', 'read', 'write', 'delete'])
