/** A kind of request that tests send on purpose and that is served, though the document has it not. */
interface UndocumentedRequest {
  /** Its operations. */
  readonly operations: readonly string[]
  /** What the comparison says of it. */
  readonly problem: RegExp
  /** Why it is served all the same, and why the document does not say so. */
  readonly because: string
}

const undocumentedRequests = {
  secrets: [
    {
      operations: [
        'kv1Read',
        'kv1List',
        'kv1Write',
        'kv1Delete',
        'kv2DeleteData',
        'kv2ReadConfig',
        'kv2ReadData',
        'readHealth',
        'readMount',
        'readPasswordPolicy',
        'readHealth',
      ],
      problem:
        /^the query parameter (a|b|x|data|help|list|odd|path|version|__proto__|constructor) is unknown$/,
      because: 'Unknown parameters are passed over, some with a warning.',
    },
  ],
  platform: [
    {
      operations: ['changeTwilioSettings', 'changeSmsSettings'],
      problem: /data\/data\/type must be equal to one of the allowed values/,
      because: 'Types are read in the spelling of the other dialect, too.',
    },
    {
      operations: ['readTestRun', 'listTeams'],
      problem: /^the query parameter (include|filter\[x\]) is unknown$/,
      because: 'Unknown parameters are passed over.',
    },
  ],
  mesh: [
    {
      operations: ['createNamespace', 'deleteNamespace'],
      problem: /^the query parameter (stale|consistent|cached|max_stale|index|wait) is unknown$/,
      because: 'Writes pass over what reads look at.',
    },
    {
      operations: ['listNamespaces'],
      problem: /^the query parameter filter is unknown$/,
      because: 'The list has no filter.',
    },
  ],
  scheduler: [
    {
      operations: ['readJob', 'listJobs'],
      problem: /^the query parameter version is unknown$/,
      because: 'Unknown parameters are passed over; other reads of the same test need this one.',
    },
    {
      operations: ['stopJob'],
      problem: /^a body, where there is none/,
      because: 'Bodies of DELETE are passed over.',
    },
    {
      operations: [
        'restartAllocation',
        'readAllocationStats',
        'collectAllocation',
        'collectClient',
      ],
      problem: /^the method is not/,
      because:
        'Clients look at no method there (behaviour/scheduler#statistics and behaviour/scheduler#task-actions).',
    },
    {
      operations: ['registerJob'],
      problem: /^the body is not one JSON value/,
      because: 'The first JSON value of a body counts.',
    },
  ],
} as const satisfies Readonly<Record<string, readonly UndocumentedRequest[]>>

/** Tells whether a fault is one that tests make on purpose. */
export function isIntentional(
  api: keyof typeof undocumentedRequests,
  operation: string,
  problem: string,
): boolean {
  const known: readonly UndocumentedRequest[] = undocumentedRequests[api]
  return known.some((each) => each.operations.includes(operation) && each.problem.test(problem))
}
