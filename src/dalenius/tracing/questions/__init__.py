"""What is asked about means: who of the members, which targets, how many means, is a promise kept?"""
