"""What the project takes from npm: the scripts of GraphiQL, and the frontend tools that the tests run."""
