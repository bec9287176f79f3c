import { defineMessages } from '../../../kernel/refusal.ts'

/**
 * Messages of refusals that concern nodes, allocations, evaluations and deployments
 * (behaviour/scheduler#beyond).
 */
export const {
  table: clusterMessages,
  message,
  refuse,
} = defineMessages({
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
  'node-unknown': { kind: 'conflict', text: 'node not found' },
  'eligibility-invalid': {
    kind: 'conflict',
    text: 'invalid scheduling eligibility {eligibility}',
  },
  'eligibility-draining': {
    kind: 'conflict',
    text: "can not set node's scheduling eligibility to eligible while it is draining",
  },
  'node-pool-not-found': { kind: 'absent', text: 'node pool not found' },
  'node-pool-mismatch': { kind: 'invalid', text: 'Node pool name does not match request path' },
  'node-pool-unlicensed': {
    kind: 'conflict',
    text: 'Feature "Node Pools Governance" is unlicensed',
  },
  'node-pool-invalid': { kind: 'invalid', text: 'invalid node pool {name}: {errors}' },
  'node-pool-name-invalid': { text: 'invalid name {name}, must match regex {pattern}' },
  'node-pool-description-long': { text: 'description longer than {most}' },
  'node-pool-built-in': { kind: 'invalid', text: 'modifying node pool {name} is not allowed' },
  'node-pool-unnamed': { kind: 'invalid', text: 'node pool name is empty' },
  'node-pool-in-use': { kind: 'conflict', text: '{errors}' },
  'node-pool-has-jobs': { text: 'node pool {pool} has non-terminal jobs in regions: [{region}]' },
  'node-pool-has-nodes': { text: 'node pool {pool} has nodes in regions: [{region}]' },
  'node-pool-unknown': { kind: 'conflict', text: 'node pool {name} not found' },
  'node-pool-kept': { kind: 'conflict', text: 'deleting node pool {pool} is not allowed' },
  'prefix-not-allowed': { kind: 'invalid', text: 'prefix argument not allowed' },
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
  'push-deployment-unknown': { kind: 'absent', text: 'there is no deployment "{id}"' },
  'push-evaluation-unknown': { kind: 'absent', text: 'there is no evaluation "{id}"' },
  'push-node-unknown': { kind: 'absent', text: 'there is no node "{id}"' },
  'push-task-unknown': { kind: 'absent', text: 'there is no task "{id}" to push' },
  'push-impossible': { kind: 'conflict', text: '{what} that is {state} cannot become {to}' },
  'push-extra-invalid': { kind: 'invalid', text: '{name} must be {what}' },
})
