import { wordings } from '../../kernel/refusal.ts'

/**
 * Texts of what is refused of nodes, allocations, evaluations and deployments
 * (3b-scheduler-decisions.md section 10).
 */
export const { say, refuse } = wordings({
  'alloc-not-found': { kind: 'absent', text: 'alloc not found' },
  'allocation-not-found': { kind: 'absent', text: 'allocation not found' },
  'allocation-unknown': { kind: 'conflict', text: 'Unknown allocation {id}' },
  'shutdown-delay-no-bool': {
    kind: 'conflict',
    text: 'no_shutdown_delay value is not a boolean: strconv.ParseBool: parsing {value}: invalid syntax',
  },
  'eval-not-found': { kind: 'absent', text: 'eval not found' },
  'deployment-not-found': { kind: 'absent', text: 'deployment not found' },
  'deployment-unknown': { kind: 'conflict', text: 'deployment not found' },
  'node-not-found': { kind: 'absent', text: 'node not found' },
  'node-pool-not-found': { kind: 'absent', text: 'node pool not found' },
  'lookup-failed': { kind: 'conflict', text: '{what} lookup failed: {why}' },

  'prefix-failed': { kind: 'conflict', text: '{why}' },

  'deployment-unnamed': { kind: 'invalid', text: 'DeploymentID must be specified' },
  'deployment-mismatch': { kind: 'invalid', text: 'Deployment ID does not match' },
  'promote-terminal': { kind: 'conflict', text: "can't promote terminal deployment" },
  'promote-unhealthy': { kind: 'conflict', text: '{count} occurred:\n{groups}\n' },
  'promote-group-unhealthy': {
    text: '\t* Task group {group} has {healthy}/{wanted} healthy allocations\n',
  },
  'fail-terminal': { kind: 'conflict', text: "can't fail terminal deployment" },
  'pause-terminal': { kind: 'conflict', text: "can't pause terminal deployment" },
  'resume-terminal': { kind: 'conflict', text: "can't resume terminal deployment" },
  'unblock-terminal': { kind: 'conflict', text: "can't unblock terminal deployment" },
  'health-terminal': {
    kind: 'conflict',
    text: "can't set health of allocations for a terminal deployment",
  },
  'health-of-nothing': {
    kind: 'conflict',
    text: 'must specify at least one healthy/unhealthy allocation ID',
  },
  'health-lookup-failed': { kind: 'conflict', text: 'alloc {id} lookup failed: {why}' },
  'health-allocation-unknown': { kind: 'conflict', text: 'unknown alloc {id}' },
  'health-allocation-other': {
    kind: 'conflict',
    text: 'alloc {id} is not part of deployment {deployment}',
  },

  'push-allocation-unknown': { kind: 'absent', text: 'there is no allocation "{id}"' },
  'push-evaluation-unknown': { kind: 'absent', text: 'there is no evaluation "{id}"' },
  'push-node-unknown': { kind: 'absent', text: 'there is no node "{id}"' },
  'push-task-unknown': { kind: 'absent', text: 'there is no task "{id}" to push' },
  'push-impossible': { kind: 'conflict', text: '{what} that is {state} cannot become {to}' },
  'push-extra-invalid': { kind: 'invalid', text: '{name} must be {what}' },
})
