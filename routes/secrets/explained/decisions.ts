/**
 * Choices of the secrets API, by the rules of the refusals that follow from them
 * (behaviour/program#explanations).
 */
export const decisions: Readonly<Record<string, string>> = {
  'rate-limit-exceeded': 'rate-limit',
  'health-status-not-final': 'health-codes',
  'namespace-name-slash': 'namespace-names',
  'namespace-under-mount': 'namespace-conflicts',
  'cors-wildcard-alone': 'cors-wildcard',
  'max-versions-negative': 'negative-max-versions',
  'wrapping-token-unreadable': 'wrapping-token-field',
  'token-bound': 'bound-cidrs',
  'index-state-ahead': 'index-header-checks',
  'other-replication-cluster': 'replication-other-set',
  'ca-unreadable': 'replication-ca',
  'recovery-key-wrong': 'wrong-recovery-shares',
  'generation-shares-do-not-combine': 'generation-unequal-shares',
  'verification-shares-do-not-combine': 'verification-unequal-shares',
  'batch-role-periodic': 'cloud-batch-roles',
  'batch-role-limited': 'cloud-batch-roles',
  'login-policy': 'cloud-response-wrapping-role',
  'orch-failed': 'orch-failure-text',
  'name-template-failed': 'orch-name-template-applied',
  'additional-metadata-invalid': 'orch-metadata-input',
  'label-selector-invalid': 'orch-namespace-selector',
}
