# Both programs in one image; config/ decides which one a pod runs. The release has that of build/image.mjs, which needs no Docker and
# has less in it; this one is for a base of your own. Build with `make image-docker`, for amd64 and arm64.
# Only JavaScript is copied in, the same for every platform: only the base differs.
ARG BASE=node:24-bookworm-slim
FROM ${BASE} AS base
# The agent needs chroot from coreutils; nothing needs a package manager.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* \
      /opt/yarn* /usr/local/include /usr/local/share /var/lib/apt/lists /var/cache/apt

# One layer, so that what was removed above is not in the image at all.
FROM scratch
COPY --from=base / /
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="gpu-partition-operator" \
      org.opencontainers.image.description="Partitions NVIDIA GPUs with MIG by policy" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /app
# Without source maps and the simulator; NOTICES.txt has the licences of everything in the bundles.
COPY dist/controller.mjs dist/agent.mjs dist/gpu-partition.mjs dist/demand-solver.mjs dist/NOTICES.txt LICENSE /app/
USER 65532:65532
