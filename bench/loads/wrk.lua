-- Sends one request repeatedly with wrk, from environment variables. "@@@@@@@@" in the path or body stands for a counter.
local MARK = "@@@@@@@@"
local pieces, distinct, counter = {}, tonumber(os.getenv("BENCH_DISTINCT")), 0

function init()
  local headers = {}
  for name, value in os.getenv("BENCH_HEADERS"):gmatch("([^\n:]+): ([^\n]+)") do headers[name] = value end
  local body = os.getenv("BENCH_BODY")
  if body == "" then body = nil end
  local whole = wrk.format(os.getenv("BENCH_METHOD"), os.getenv("BENCH_PATH"), headers, body)
  local from = 1
  while true do
    local at = whole:find(MARK, from, true)
    pieces[#pieces + 1] = whole:sub(from, at and at - 1)
    if not at then break end
    from = at + #MARK
  end
  -- Starts at a random number, so that a second window does not repeat the first.
  if not distinct then counter = tonumber(os.getenv("BENCH_FIRST")) end
end

function request()
  if #pieces == 1 then return pieces[1] end
  local value = counter
  counter = counter + 1
  if distinct then value = value % distinct end
  return table.concat(pieces, string.format("%08d", value % 100000000))
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"maxMs":%.3f,"errors":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    latency.max / 1000, e.status + e.connect + e.read + e.write + e.timeout))
end
