# Both programs in one image; config/ says which one a pod runs. Build with `make image`.
FROM node:24-bookworm-slim
WORKDIR /app
COPY dist/ /app/
USER 65532
