/**
 * Names of the presets, in the order of `GET /_mock/faults/presets`: failures that the real
 * products have (behaviour/program#presets). The list is in a separate file, because the package's
 * types use the names.
 */
export const presetNames = [
  'secrets-index-behind',
  'secrets-sealed',
  'secrets-standby',
  'secrets-dr-secondary',
  'secrets-kv-upgrading',
  'secrets-rate-limited',
  'secrets-lease-lost',
  'secrets-orchestrator-down',
  'secrets-database-down',
  'secrets-directory-down',
  'secrets-ca-expired',
  'secrets-crl-stale',
  'secrets-quota-exceeded',
  'platform-rate-limited',
  'platform-hidden',
  'platform-upload-refused',
  'platform-smtp-down',
  'platform-state-busy',
  'platform-state-refused',
  'platform-run-errored',
  'platform-workspace-locked',
  'platform-run-queued',
  'platform-agent-lost',
  'platform-policy-failed',
  'platform-run-task-failed',
  'mesh-index-reset',
  'mesh-list-filtered',
  'mesh-no-leader',
  'mesh-node-failed',
  'mesh-service-flapping',
  'mesh-session-lost',
  'mesh-stale-read',
  'scheduler-index-conflict',
  'scheduler-no-leader',
  'scheduler-placement-failed',
  'any-reset-after-commit',
  'any-slow',
  'any-unavailable',
  'any-truncated',
] as const

export type PresetName = (typeof presetNames)[number]

/**
 * A preset's name or any other string. The type is not plain `string`, so editors still suggest the
 * names.
 */
export type PresetNameOrString = PresetName | (string & Record<never, never>)
