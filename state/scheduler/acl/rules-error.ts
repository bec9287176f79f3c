/** Why rules are none; the policy that has them says it in a text of its own. */
export class RulesError extends Error {}
