/**
 * Group of requests that tests send on purpose and that succeed, although the document does not
 * describe them.
 */
interface UndocumentedRequest {
  readonly operations: readonly string[]
  /** Pattern of the problem that the comparison reports. */
  readonly problem: RegExp
  /** Reason why the request succeeds, and why the document omits it. */
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
      operations: ['changeTwilioSettings', 'changeSmsSettings', 'createProject'],
      problem: /data\/data\/type must be equal to one of the allowed values/,
      because: 'Types are read in the other dialect, in the singular and in every spelling.',
    },
    {
      operations: ['createTestRun'],
      problem: /variables\/0 must have required property 'key'/,
      because: 'Names of members are read in every spelling.',
    },
    {
      operations: ['listWorkspaces'],
      problem: /^the query parameter filter\[tagged\]\[\w+\]\[(key|value)\] is unknown$/,
      because: 'The document names the first tag only; further ones count on.',
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
        'readAllocationLogs',
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
    {
      operations: ['dispatchJob'],
      problem: /^the body: data\/Payload must be string,null/,
      because: 'Payloads are base64; the decoder also accepts lists of numbers.',
    },
  ],
} as const satisfies Readonly<Record<string, readonly UndocumentedRequest[]>>

/**
 * Returns true if `undocumentedRequests` lists the operation with a pattern that matches the
 * problem.
 */
export function isIntentional(
  api: keyof typeof undocumentedRequests,
  operation: string,
  problem: string,
): boolean {
  const known: readonly UndocumentedRequest[] = undocumentedRequests[api]
  return known.some((each) => each.operations.includes(operation) && each.problem.test(problem))
}
