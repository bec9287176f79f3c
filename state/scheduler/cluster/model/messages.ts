import { defineMessages, messageTexts, refusals } from '../../../kernel/refusal.ts'

/**
 * Messages of refusals about nodes, node pools, allocations, evaluations, deployments and volumes
 * (behaviour/scheduler#beyond).
 */
export const { table, message, refuse } = defineMessages({
  ...refusals('absent', {
    'alloc-not-found': 'alloc not found',
    'allocation-not-found': 'allocation not found',
    'eval-not-found': 'eval not found',
    'deployment-not-found': 'deployment not found',
    'node-not-found': 'node not found',
    'allocation-resource-unknown': 'resource not found',
    'volume-not-found': 'volume not found',
    'plugin-not-found': 'plugin not found',
    'node-pool-not-found': 'node pool not found',

    'push-allocation-unknown': 'there is no allocation "{id}"',
    'push-deployment-unknown': 'there is no deployment "{id}"',
    'push-evaluation-unknown': 'there is no evaluation "{id}"',
    'push-node-unknown': 'there is no node "{id}"',
    'push-task-unknown': 'there is no task "{id}" to push',
  }),
  ...refusals('conflict', {
    'allocation-unknown': 'Unknown allocation {id}',
    'shutdown-delay-no-bool':
      'no_shutdown_delay value is not a boolean: strconv.ParseBool: parsing {value}: invalid syntax',
    'deployment-unknown': 'deployment not found',
    'node-unknown': 'node not found',
    'deployment-id-missing': 'missing deployment ID',
    'volume-unknown': 'volume not found: {id}',
    'volume-id-missing': 'missing volume ID',
    'volume-definition-missing': 'missing volume definition',
    'volume-plugin-unknown': 'no CSI plugin named: {plugin} could be found',
    'volume-invalid': 'validation: {problems}',
    'volume-detached-unknown': 'no such volume',
    'external-plugin-unknown': 'no such plugin',
    'snapshot-null': 'snapshot cannot be nil',
    'snapshot-failed': '{errors}',
    'plugin-id-missing': 'missing plugin ID',
    'broker-enabled': 'eval broker is enabled; eval broker must be paused to delete evals',
    'deleted-eval-unknown': 'eval not found',
    'deleted-eval-lookup-failed': 'failed to lookup eval: eval lookup failed: {why}',
    'deleted-eval-needed': 'eval {id} is not safe to delete',
    'node-id-missing': 'missing node ID',
    'eligibility-invalid': 'invalid scheduling eligibility {eligibility}',
    'eligibility-draining':
      "can not set node's scheduling eligibility to eligible while it is draining",
    'node-pool-unlicensed': 'Feature "Node Pools Governance" is unlicensed',
    'node-pool-in-use': '{errors}',
    'node-pool-unknown': 'node pool {name} not found',
    'node-pool-kept': 'deleting node pool {pool} is not allowed',
    'lookup-failed': '{what} lookup failed: {why}',

    'prefix-failed': '{why}',

    'promote-terminal': "can't promote terminal deployment",
    'promote-unhealthy': '{count} occurred:\n{groups}\n',
    'fail-terminal': "can't fail terminal deployment",
    'pause-terminal': "can't pause terminal deployment",
    'resume-terminal': "can't resume terminal deployment",
    'unblock-terminal': "can't unblock terminal deployment",
    'health-terminal': "can't set health of allocations for a terminal deployment",
    'health-of-nothing': 'must specify at least one healthy/unhealthy allocation ID',
    'health-lookup-failed': 'alloc {id} lookup failed: {why}',
    'health-allocation-unknown': 'unknown alloc {id}',
    'health-allocation-other': 'alloc {id} is not part of deployment {deployment}',

    'push-impossible': '{what} that is {state} cannot become {to}',
  }),
  ...refusals('invalid', {
    'volume-force-no-bool': 'invalid force value',
    'detach-node-missing': 'detach requires node ID',
    'evals-by-id-and-filter': 'evals cannot be deleted by both ID and filter',
    'evals-by-nothing': 'evals must be deleted by either ID or filter',
    'evals-too-many': 'request includes {count} evaluation IDs, must be {limit} or fewer',
    'node-pool-mismatch': 'Node pool name does not match request path',
    'node-pool-invalid': 'invalid node pool {name}: {errors}',
    'node-pool-built-in': 'modifying node pool {name} is not allowed',
    'node-pool-unnamed': 'node pool name is empty',
    'prefix-not-allowed': 'prefix argument not allowed',

    'deployment-unnamed': 'DeploymentID must be specified',
    'deployment-mismatch': 'Deployment ID does not match',

    'push-extra-invalid': '{name} must be {what}',
  }),
  ...messageTexts({
    'node-pool-name-invalid': 'invalid name {name}, must match regex {pattern}',
    'node-pool-description-long': 'description longer than {most}',
    'node-pool-has-jobs': 'node pool {pool} has non-terminal jobs in regions: [{region}]',
    'node-pool-has-nodes': 'node pool {pool} has nodes in regions: [{region}]',

    'volume-id-empty': 'missing volume id',
    'volume-plugin-empty': 'missing plugin id',
    'volume-sources-exclusive': 'only one of snapshot_id and clone_id is allowed',
    'volume-capability-missing': 'must include at least one capability block',
    'volume-topology-empty': '{kind} topology is missing segments field',
    'further-problem': ', {problem}',
    'snapshot-volume-unknown': 'no such volume {volume}',
    'snapshot-plugin-unknown': 'no such plugin',

    'promote-group-unhealthy':
      '\t* Task group {group} has {healthy}/{wanted} healthy allocations\n',
  }),
})
