/**
 * Design decisions of the platform API, by the rules of the refusals that depend on them
 * (behaviour/program#explanations).
 */
export const decisions: Readonly<Record<string, string>> = {
  'owners-stay': 'team-owners',
  'member-already': 'team-membership-errors',
  'no-member': 'team-membership-errors',
  'user-unknown': 'team-membership-errors',
  'address-expired': 'object-addresses',
  'test-number-missing': 'sms-verify-order',
}
